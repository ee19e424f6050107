import { heartbeat } from '@temporalio/activity';
import { request } from 'undici';

export interface FloorActivities {
  get(url: string): Promise<{ status: number; data: unknown }>;
}

export const activities: FloorActivities = {
  async get(url) {
    heartbeat();
    const response = await request(url);
    return { status: response.statusCode, data: await response.body.json() };
  },
};

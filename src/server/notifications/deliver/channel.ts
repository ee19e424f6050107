import { type Dispatcher, request } from 'undici';
import { CodedError, messageOf } from '../../../language/errors';
import { type JsonObject, type NotificationTarget } from '../../../language/plan';
import { type AnswerPath, type Message } from '../message';

/** One notification, on its way to one target. */
export interface ChannelDelivery {
  /** The same at every attempt, so that receivers can recognise duplicates. */
  readonly id: string;
  readonly target: NotificationTarget;
  readonly message: Message;
  /** The execution id of a target that is a playbook. */
  readonly starts: string | null;
}

export type NotificationErrorCode =
  /** The target does not answer, or cannot at present. */
  | 'NOTIFICATION_UNREACHABLE'
  /** The target does not accept it; another attempt may succeed once somebody has changed something. */
  | 'NOTIFICATION_REFUSED'
  /** An author names a target that the installation does not list. */
  | 'NOTIFICATION_UNLISTED'
  /** A credential lacks a field, or has a wrong one. */
  | 'NOTIFICATION_CREDENTIAL';

/** Delivers to the targets of one kind. @throws CodedError; not retryable if no attempt can succeed */
export type Channel = (delivery: ChannelDelivery) => Promise<void>;

/** What channels need from their process. */
export interface ChannelServices {
  /** The fields of a credential. @throws if there is none */
  readonly credential: (name: string) => Promise<JsonObject>;
  /** The connections for an address that a playbook names. @throws if no playbook may reach it */
  readonly dispatcher: (url: URL) => Dispatcher;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent without keys to seal links with. */
  readonly answerPath?: AnswerPath;
}

const TIMEOUT_MS = 15_000;
/** "Gone": the receiver does not want any more. */
const HTTP_GONE = 410;

/** @param shown names the receiver in errors, without secrets */
export async function post(
  { dispatcher }: Pick<ChannelServices, 'dispatcher'>,
  address: string,
  { shown, body, headers = {} }: { shown: string; body: string; headers?: Record<string, string> },
): Promise<void> {
  const url = new URL(address);
  const status = await request(url, {
    method: 'POST',
    dispatcher: dispatcher(url),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  }).then(
    async (answer) => {
      await answer.body.dump();
      return answer.statusCode;
    },
    (error: unknown) => {
      const why = messageOf(error);
      throw refusal('NOTIFICATION_UNREACHABLE', `${shown} does not answer: ${why}`, { cause: error });
    },
  );
  if (status >= 200 && status < 300) return;
  throw refusal('NOTIFICATION_REFUSED', `${shown} answered ${status}`, { retryable: status !== HTTP_GONE });
}

export function refusal(
  code: NotificationErrorCode,
  message: string,
  { retryable = true, cause }: { retryable?: boolean; cause?: unknown } = {},
): CodedError {
  return new CodedError<NotificationErrorCode>(code, message, { retryable, cause });
}

/** A text field of a credential. @throws CodedError `NOTIFICATION_CREDENTIAL` that says what to store */
export function channelField(
  data: JsonObject,
  { name, field, hint }: { name: string; field: string; hint: string },
): string {
  const value = data[field];
  if (typeof value === 'string' && value !== '') return value;
  throw refusal('NOTIFICATION_CREDENTIAL', `the credential ${name} has no ${field}: ${hint}`);
}

import { type Plan } from '../../../language/plan';
import { type Rehearsal } from '../format/rehearsal';
import { type Watch } from '../invariants/watch';
import { type MockedWorld } from '../mocks/mocked-world';
import { type Simulated } from '../../drive';

/** The result of a rehearsal's run, with which expectations are compared. */
export interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly plan: Plan;
  readonly run: Simulated;
  readonly world: MockedWorld;
  readonly watch: Watch;
}

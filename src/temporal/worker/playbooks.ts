/** Resolvers of sub-playbooks without the workers that use them, for commands that start no workers. */
export {
  PlaybookRefused,
  type PlaybookResolver,
} from '../../../activities/framework/activity/playbook-refused';

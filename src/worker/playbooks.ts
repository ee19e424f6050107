/** Who knows sub-playbooks, without the workers that ask: commands that start none of them need no more. */
export { PlaybookRefused, type PlaybookResolver } from '../../activities/framework/activity/playbook-refused';

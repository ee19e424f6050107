/** Begins the message about a workflow task that does not end. */
export const ENDLESS = 'one workflow task takes more than';

/** Chat webhooks of Slack, Teams, Mattermost and others that accept `{"text": …}`. */
import { details, headline } from '../message';
import { type Channel, type ChannelServices, channelField, post, refusal } from './channel';

export function chatChannel(services: ChannelServices): Channel {
  return async ({ target, message }) => {
    if (!('chat' in target)) return;
    const name = target.chat;
    const hint = 'store {"url": "https://hooks…"}, the address of the incoming webhook';
    const url = channelField(await services.credential(name), { name, field: 'url', hint });
    if (!URL.canParse(url))
      throw refusal(
        'NOTIFICATION_CREDENTIAL',
        `the url of the credential ${name} is not a valid URL: ${hint}`,
      );
    const text = [
      `*${plain(headline(message))}*`,
      ...details(message).map((line) => `> ${plain(line)}`),
    ].join('\n');
    await post(services, url, { shown: `the chat of credential ${name}`, body: JSON.stringify({ text }) });
  };
}

/**
 * An error message may contain anything: Slack would read `<!channel>` and links in it, others `@all`, and a line break
 * would leave the quotation.
 */
function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=\w)/g, '@\u200b')
    .replace(/\s*\n\s*/g, ' ');
}

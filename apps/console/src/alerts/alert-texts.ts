import { byteText } from '@cairn/service-kit';
import type { Mail } from '../mail/mailer.ts';
import type { AlertedLimit, ReachedThreshold } from './reached-limits.ts';

const titles: Readonly<Record<AlertedLimit, string>> = {
  creditsPerDay: 'credits of today',
  bytesInPerDay: 'received bytes of today',
  bytesOutPerDay: 'sent bytes of today',
  storedBytes: 'stored bytes',
};

/** Mail about a reached threshold. */
export function alertMail(to: string, accountName: string, reached: ReachedThreshold): Mail {
  const { limit, threshold, used, maximum, resetsAt } = reached;
  const amount = (value: number) => (limit === 'creditsPerDay' ? value.toLocaleString('en') : byteText(value));
  const end =
    resetsAt === undefined
      ? 'Unpin files that you do not need, or choose a larger plan.'
      : `The limit resets at ${new Date(resetsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  return {
    to,
    subject: `${accountName}: ${threshold} % of the ${titles[limit]}`,
    text: [
      `The account ${accountName} has used ${amount(used)} of ${amount(maximum)}, its limit of ${titles[limit]}.`,
      threshold < 100 ? `Requests beyond the limit are refused. ${end}` : `Further requests are refused. ${end}`,
      'Change the thresholds of these alerts on the page Usage of the console.',
      '',
    ].join('\n\n'),
  };
}

/** Data of the webhook message `usage.threshold`. */
export function alertData({ limit, threshold, used, maximum, resetsAt }: ReachedThreshold): Record<string, unknown> {
  return {
    limit,
    threshold,
    used,
    maximum,
    ...(resetsAt !== undefined && { resets_at: new Date(resetsAt).toISOString() }),
  };
}

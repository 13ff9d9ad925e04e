import type { Mail } from './mailer.ts';

/** Mail with a link to set a new password. */
export function passwordResetMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'Set a new password for Cairn',
    text: lines(
      'Open this link to set a new password. It works once, for one hour:',
      link,
      'The password stays as it is if you do not open the link.',
    ),
  };
}

/** Mail with a link that verifies the address. */
export function emailVerificationMail(to: string, link: string): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address for Cairn',
    text: lines(
      'Open this link to confirm that this address is yours. It works once, for three days:',
      link,
      'Ignore this mail if you have no account.',
    ),
  };
}

/** Mail with a link to join an account. */
export function invitationMail(
  to: string,
  link: string,
  { accountName, by, role }: { readonly accountName: string; readonly by: string; readonly role: string },
): Mail {
  return {
    to,
    subject: `Join the account ${accountName} on Cairn`,
    text: lines(
      `${by} invites you to the account ${accountName}, with the role ${role}.`,
      'Open this link to choose a password. It works once, for seven days:',
      link,
      'Ignore this mail if you do not expect it.',
    ),
  };
}

function lines(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}

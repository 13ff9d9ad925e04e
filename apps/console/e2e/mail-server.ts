import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** SMTP server on loopback that keeps the mails it accepts. */
export interface MailServer {
  /** URL with the credentials that it accepts. */
  readonly url: string;
  readonly mails: readonly ParsedMail[];
  /** Waits for a mail to an address, and returns the newest one. @throws after 5 s */
  mailTo(address: string, count?: number): Promise<ParsedMail>;
  stop(): Promise<void>;
}

const user = 'console';
const secret = 'mail-canary-0123456789';

/** @param refused address whose mails the server refuses */
export async function startMailServer({ refused }: { readonly refused?: string } = {}): Promise<MailServer> {
  const mails: ParsedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, answer) {
      if (username === user && password === secret) answer(null, { user });
      else answer(new Error('Invalid username or password'));
    },
    onRcptTo({ address }, _session, answer) {
      answer(address === refused ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null);
    },
    onData(stream, _session, answer) {
      simpleParser(stream).then((mail) => {
        mails.push(mail);
        answer();
      }, answer);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const to = (address: string) => mails.filter((mail) => addressesOf(mail).includes(address));
  return {
    url: `smtp://${user}:${secret}@127.0.0.1:${port}`,
    mails,
    async mailTo(address, count = 1) {
      const until = Date.now() + 5000;
      while (to(address).length < count) {
        if (Date.now() > until)
          throw new Error(`${to(address).length} of ${count} mails to ${address} arrived in 5 s.`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const newest = to(address).at(-1);
      if (newest === undefined) throw new Error('No mail was expected.');
      return newest;
    },
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function addressesOf({ to }: ParsedMail): (string | undefined)[] {
  return [to ?? []].flat().flatMap(({ value }) => value.map(({ address }) => address));
}

/** The link of a mail. */
export function linkOf({ text = '' }: ParsedMail): string {
  const [link] = /https?:\/\/\S+/.exec(text) ?? [];
  if (link === undefined) throw new Error(`The mail has no link: ${text}`);
  return link;
}

import {
  type Actor,
  AuthError,
  type Member,
  type MemberStore,
  memberTokenId,
  newMemberToken,
  type Passkey,
} from '@cairn/auth';
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';

const passkeyLimits = {
  /** Passkeys of one member. */
  passkeysMax: 20,
  /** A challenge works for this time, in milliseconds. */
  challengeMs: 5 * 60_000,
} as const;

/** Site of the console, as browsers name it. */
export interface Site {
  /** For example `https://console.example`. */
  readonly origin: string;
  /** Host name without port. Browsers accept no IP address here. */
  readonly hostname: string;
}

/**
 * Passkeys: discoverable credentials with user verification (Web Authentication Level 3). One passkey replaces password and
 * second factor. Challenges are in the store, so each works once, whichever console gets the answer.
 */
export class Passkeys {
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({ store, now = Date.now }: { readonly store: MemberStore; readonly now?: () => number }) {
    this.#store = store;
    this.#now = now;
  }

  /** Returns the options with which the browser creates a passkey. @throws PASSKEYS_FULL */
  async beginAdding({ id, email, passkeys = [] }: Member, { hostname }: Site) {
    if (passkeys.length >= passkeyLimits.passkeysMax)
      throw new AuthError('PASSKEYS_FULL', `You have ${passkeyLimits.passkeysMax} passkeys, the most allowed.`, {
        hint: 'Remove one.',
      });
    return await generateRegistrationOptions({
      rpName: 'Cairn',
      rpID: hostname,
      userID: new Uint8Array(Buffer.from(id)),
      userName: email,
      challenge: await this.#challenge(id),
      attestationType: 'none',
      excludeCredentials: passkeys.map(credentialOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Adds the passkey that the browser created. @throws PASSKEY_REFUSED, PASSKEYS_FULL */
  async add(
    { id, accountId }: Member,
    {
      name,
      response,
      site,
      actor,
    }: {
      readonly name: string;
      readonly response: RegistrationResponseJSON;
      readonly site: Site;
      readonly actor: Actor;
    },
  ): Promise<Passkey> {
    const expectedChallenge = await this.#takeChallenge(response, id);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.hostname,
      requireUserVerification: true,
    }).catch(refuse);
    if (!verified) throw refused();
    const { credential } = registrationInfo;
    const at = this.#now();
    const passkey = {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      ...(credential.transports && { transports: credential.transports }),
      name,
      createdAt: at,
    };
    const change = (member: Member): Member => {
      const others = (member.passkeys ?? []).filter((other) => other.id !== passkey.id);
      if (others.length >= passkeyLimits.passkeysMax)
        throw new AuthError('PASSKEYS_FULL', 'You have too many passkeys.');
      return { ...member, passkeys: [...others, passkey] };
    };
    const entry = { at, actor, action: 'member.passkey.add', accountId, change: { name } };
    await this.#store.update(id, change, entry);
    return passkey;
  }

  /** Removes a passkey. @throws PASSKEY_NOT_FOUND */
  async remove({ id, accountId, passkeys = [] }: Member, passkeyId: string, actor: Actor): Promise<void> {
    const at = this.#now();
    const entry = {
      at,
      actor,
      action: 'member.passkey.remove',
      accountId,
      change: { name: nameOf(passkeys, passkeyId) },
    };
    const change = (member: Member): Member => {
      const others = (member.passkeys ?? []).filter((passkey) => passkey.id !== passkeyId);
      if (others.length === (member.passkeys ?? []).length)
        throw new AuthError('PASSKEY_NOT_FOUND', 'You have no passkey of this id.');
      return { ...member, passkeys: others };
    };
    await this.#store.update(id, change, entry);
  }

  /** Returns the options with which the browser offers the passkeys of this site. */
  async beginSignIn({ hostname }: Site) {
    return await generateAuthenticationOptions({
      rpID: hostname,
      challenge: await this.#challenge(''),
      userVerification: 'required',
    });
  }

  /** Returns the member who signed the challenge. @throws PASSKEY_REFUSED, the same error for an unknown and a removed passkey */
  async signIn(response: AuthenticationResponseJSON, site: Site): Promise<Member> {
    const expectedChallenge = await this.#takeChallenge(response, '');
    const memberId = Buffer.from(response.response.userHandle ?? '', 'base64url').toString();
    const member = await this.#store.member(memberId);
    const passkey = member?.passkeys?.find(({ id }) => id === response.id);
    if (passkey === undefined) throw refused();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: site.origin,
      expectedRPID: site.hostname,
      requireUserVerification: true,
      credential: {
        ...credentialOf(passkey),
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    }).catch(refuse);
    if (!verified) throw refused();
    const used = { ...passkey, counter: authenticationInfo.newCounter, usedAt: this.#now() };
    return await this.#store.update(memberId, (before) => {
      const stored = before.passkeys?.find(({ id }) => id === passkey.id);
      // It was removed meanwhile, or a copy of it signed first.
      if (stored === undefined || stored.counter !== passkey.counter) throw refused();
      return { ...before, passkeys: before.passkeys?.map((one) => (one.id === used.id ? used : one)) };
    });
  }

  async #challenge(subject: string): Promise<Uint8Array<ArrayBuffer>> {
    const now = this.#now();
    const times = { createdAt: now, expiresAt: now + passkeyLimits.challengeMs };
    const { text, record } = newMemberToken({ kind: 'passkey', subject, email: '', ...times });
    await this.#store.tokens.removeExpired(now);
    await this.#store.tokens.put(record);
    return new Uint8Array(Buffer.from(text, 'base64url'));
  }

  /** Takes the challenge that an answer names. @throws PASSKEY_REFUSED if it was used, has expired, or belongs to another member */
  async #takeChallenge(
    { response }: { readonly response: { readonly clientDataJSON: string } },
    subject: string,
  ): Promise<string> {
    const challenge = challengeOf(response.clientDataJSON);
    const token = await this.#store.tokens.take(memberTokenId(challenge));
    const isOpen = token?.kind === 'passkey' && token.subject === subject && token.expiresAt > this.#now();
    if (!isOpen) throw refused();
    return challenge;
  }
}

function challengeOf(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

function nameOf(passkeys: readonly Passkey[], id: string): string {
  return passkeys.find((passkey) => passkey.id === id)?.name ?? id;
}

function credentialOf({ id, transports }: Passkey) {
  return { id, ...(transports && { transports: transports as AuthenticatorTransport[] }) };
}

function refuse(): never {
  throw refused();
}

function refused(): AuthError {
  return new AuthError('PASSKEY_REFUSED', 'The passkey is not valid here, or the sign-in took too long.', {
    hint: 'Try again, or sign in with the password.',
  });
}

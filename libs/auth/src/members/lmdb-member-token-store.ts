import type { Database, Environment } from '@cairn/embedded-store';
import type { MemberToken, MemberTokenKind } from './member-token.ts';
import type { MemberTokenStore } from './member-token-store.ts';

/** Tokens in the LMDB environment of the accounts. */
export class LmdbMemberTokenStore implements MemberTokenStore {
  readonly #environment: Environment;
  readonly #tokens: Database;
  /** Ids by subject and kind. */
  readonly #bySubject: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#tokens = environment.database('member-tokens');
    this.#bySubject = environment.database('member-tokens-by-subject');
  }

  async put(token: MemberToken): Promise<void> {
    await this.#environment.transaction(() => {
      this.#removeInTransaction(token.id);
      this.#tokens.put(Buffer.from(token.id), Buffer.from(JSON.stringify(token)));
      this.#bySubject.put(placeOf(token), Buffer.from(token.id));
    });
  }

  async get(id: string): Promise<MemberToken | undefined> {
    this.#environment.refresh();
    return this.#read(id);
  }

  async take(id: string): Promise<MemberToken | undefined> {
    return await this.#environment.transaction(() => this.#removeInTransaction(id));
  }

  async of(kind: MemberTokenKind, subject: string): Promise<readonly MemberToken[]> {
    this.#environment.refresh();
    return this.#idsOf(kind, subject).flatMap((id) => this.#read(id) ?? []);
  }

  async removeOf(kind: MemberTokenKind, subject: string): Promise<void> {
    await this.#environment.transaction(() => {
      for (const id of this.#idsOf(kind, subject)) this.#removeInTransaction(id);
    });
  }

  async removeExpired(now: number): Promise<void> {
    await this.#environment.transaction(() => {
      for (const { value } of [...this.#tokens.range()]) {
        const { id, expiresAt } = JSON.parse(Buffer.from(value).toString()) as MemberToken;
        if (expiresAt <= now) this.#removeInTransaction(id);
      }
    });
  }

  #idsOf(kind: MemberTokenKind, subject: string): string[] {
    const prefix = Buffer.from(`${subject}\0${kind}\0`);
    return [...this.#bySubject.range({ prefix })].map(({ value }) => Buffer.from(value).toString());
  }

  #read(id: string): MemberToken | undefined {
    const bytes = this.#tokens.get(Buffer.from(id));
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as MemberToken);
  }

  #removeInTransaction(id: string): MemberToken | undefined {
    const token = this.#read(id);
    if (token === undefined) return undefined;
    this.#tokens.remove(Buffer.from(id));
    this.#bySubject.remove(placeOf(token));
    return token;
  }
}

function placeOf({ subject, kind, id }: MemberToken): Buffer {
  return Buffer.from(`${subject}\0${kind}\0${id}`);
}

import { expect } from '@jest/globals';

export interface ConsoleAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** HTTP client of the console's API that keeps its session cookie. */
export class Visitor {
  cookie = '';
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'x-cairn-console': '1' },
  ): Promise<ConsoleAnswer> {
    const answer = await fetch(`${this.#url}/api/${path}`, {
      method,
      headers: { cookie: this.cookie, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';', 1)[0] ?? '';
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, body: isJson ? JSON.parse(text) : { text }, headers: answer.headers };
  }

  async signUp(accountName: string, password: string): Promise<void> {
    const { status } = await this.ask('POST', 'sign-up', {
      email: `${accountName}@example.org`,
      password,
      accountName,
    });
    expect(status).toBe(201);
  }
}

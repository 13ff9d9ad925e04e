import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nearestName, SettingsError, type SettingsProblem } from './settings-error.ts';
import { type SettingName, type SettingValues, settingsSchema, settingsShape } from './settings-schema.ts';

/** All settings, checked; paths are absolute. */
export interface Settings extends SettingValues {
  /** Contents of TLS_CERT and TLS_KEY, where set. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

export interface LoadSettingsOptions {
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What relative paths and `cairn.config.json` are relative to. Default: the working directory. */
  readonly directory?: string;
}

const names = Object.keys(settingsShape) as SettingName[];
const pathNames = ['CAIRN_HOME', 'CAIRN_NETWORKS', 'TLS_CERT', 'TLS_KEY'] as const;
/** Variables of the admin command, which stay exported in a shell while services and other commands run. */
const commandNames = new Set([
  'CAIRN_CONFIG',
  'CAIRN_MIGRATE_KEY',
  'CAIRN_MIGRATE_SECRET',
  'CAIRN_MIGRATE_FROM_KEY',
  'CAIRN_MIGRATE_FROM_SECRET',
]);
const defaultFile = 'cairn.config.json';

/**
 * Reads settings from the environment and from a JSON file (`CAIRN_CONFIG`, or `cairn.config.json` where there is one);
 * the environment wins. Paths in the file are relative to the file.
 * @throws SETTINGS_INVALID with all problems at once
 */
export function loadSettings({ env = process.env, directory = process.cwd() }: LoadSettingsOptions = {}): Settings {
  const problems: SettingsProblem[] = [];
  const raw = { ...readFile(env, directory, problems), ...readEnvironment(env, directory, problems) };
  const parsed = settingsSchema.safeParse(raw);
  for (const issue of parsed.error?.issues ?? []) {
    const key = String(issue.path[0]) as SettingName;
    problems.push({ key, problem: `${issue.message}, got ${shown(key, raw[key])}${serviceLinkHint(raw[key])}` });
  }
  if (!parsed.success) throw new SettingsError(problems);
  const settings = { ...parsed.data, CAIRN_HOME: resolve(directory, parsed.data.CAIRN_HOME) };
  requirePair(settings, 'CAIRN_DEMO_KEY', 'CAIRN_DEMO_SECRET', problems);
  requirePair(settings, 'TLS_CERT', 'TLS_KEY', problems);
  requirePair(settings, 'CAIRN_STRIPE_SECRET_KEY', 'CAIRN_STRIPE_WEBHOOK_SECRET', problems);
  if (settings.CAIRN_NETWORKS && !existsSync(settings.CAIRN_NETWORKS)) {
    problems.push({ key: 'CAIRN_NETWORKS', problem: `there is no file ${settings.CAIRN_NETWORKS}` });
  }
  const tls = readTls(settings, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...settings, tls };
}

type RawSettings = Partial<Record<SettingName, unknown>>;

function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  problems: SettingsProblem[],
): RawSettings {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('CAIRN_') || commandNames.has(name) || Object.hasOwn(settingsShape, name)) continue;
    problems.push({ key: name, problem: unknownName(name) });
  }
  const found = names.filter((name) => env[name] !== undefined && env[name] !== '');
  return absolutePaths(Object.fromEntries(found.map((name) => [name, env[name]])), directory);
}

function readFile(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  problems: SettingsProblem[],
): RawSettings {
  const file = resolve(directory, env.CAIRN_CONFIG || defaultFile);
  if (!env.CAIRN_CONFIG && !existsSync(file)) return {};
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    problems.push({ key: file, problem: 'the file cannot be read' });
    return {};
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    problems.push({ key: file, problem: 'expected JSON: an object of settings' });
    return {};
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    problems.push({ key: file, problem: 'expected an object of settings, for example {"LOG_LEVEL": "debug"}' });
    return {};
  }
  for (const name of Object.keys(content)) {
    if (!Object.hasOwn(settingsShape, name)) problems.push({ key: `${name} (in ${file})`, problem: unknownName(name) });
  }
  return absolutePaths(content, dirname(file));
}

function absolutePaths(raw: RawSettings, directory: string): RawSettings {
  const absolute: RawSettings = { ...raw };
  for (const name of pathNames) {
    const value = absolute[name];
    if (typeof value === 'string') absolute[name] = resolve(directory, value);
  }
  return absolute;
}

function unknownName(name: string): string {
  const near = nearestName(name, names);
  return `there is no such setting. ${near ? `Did you mean ${near}?` : `Known are ${names.join(', ')}.`}`;
}

function requirePair(settings: SettingValues, one: SettingName, other: SettingName, problems: SettingsProblem[]): void {
  if ((settings[one] === undefined) === (settings[other] === undefined)) return;
  const [set, missing] = settings[one] === undefined ? [other, one] : [one, other];
  problems.push({ key: missing, problem: `${set} is set, so ${missing} must be set too` });
}

function readTls({ TLS_CERT, TLS_KEY }: SettingValues, problems: SettingsProblem[]): Settings['tls'] {
  if (!TLS_CERT || !TLS_KEY) return undefined;
  const cert = readPem('TLS_CERT', TLS_CERT, problems);
  const key = readPem('TLS_KEY', TLS_KEY, problems);
  if (cert === undefined || key === undefined) return undefined;
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      problems.push({ key: 'TLS_KEY', problem: `${TLS_KEY} is not the private key of ${TLS_CERT}` });
    }
  } catch {
    problems.push({
      key: 'TLS_CERT',
      problem: `expected a PEM certificate in ${TLS_CERT} and its PEM private key in ${TLS_KEY}`,
    });
  }
  return { cert, key };
}

function readPem(key: SettingName, file: string, problems: SettingsProblem[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    problems.push({ key, problem: `the file ${file} cannot be read` });
    return undefined;
  }
}

const secretNames: ReadonlySet<SettingName> = new Set([
  'CAIRN_DEMO_KEY',
  'CAIRN_DEMO_SECRET',
  'CAIRN_SECRETS_KEY',
  'CAIRN_STRIPE_SECRET_KEY',
  'CAIRN_STRIPE_WEBHOOK_SECRET',
]);

function shown(key: SettingName, value: unknown): string {
  // The key too: it opens JSON-RPC, and where the two were mixed up it is the secret.
  if (secretNames.has(key)) return 'something else';
  return JSON.stringify(value)?.slice(0, 100) ?? String(value);
}

/** Kubernetes sets STORAGE_API_PORT to tcp://… in every pod beside a service named storage-api. */
function serviceLinkHint(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('tcp://')) return '';
  return ' (set by Kubernetes for a service of that name: set enableServiceLinks: false in the pod)';
}

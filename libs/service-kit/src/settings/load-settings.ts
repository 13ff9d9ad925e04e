import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CommonSettings, commonSettings } from './common-settings.ts';
import { readTls } from './read-tls.ts';
import type { Setting } from './setting.ts';
import { type SettingName, settingNames } from './setting-names.ts';
import { isMisspelled, nearestName, SettingsError, type SettingsProblem } from './settings-error.ts';
import type { SettingsShape, SettingsValues } from './settings-shape.ts';

/** Settings of a program, checked; paths are absolute. */
export type Settings<Shape extends SettingsShape> = CommonSettings & SettingsValues<Shape>;

export interface LoadSettingsOptions {
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths and place of `cairn.config.json`. Default: the working directory. */
  readonly directory?: string;
}

/** Variables of the admin command, which stay exported in a shell while services and other commands run. */
const commandNames = new Set([
  'CAIRN_CONFIG',
  'CAIRN_MIGRATE_KEY',
  'CAIRN_MIGRATE_SECRET',
  'CAIRN_MIGRATE_FROM_KEY',
  'CAIRN_MIGRATE_FROM_SECRET',
]);
const defaultFile = 'cairn.config.json';
/** Settings of which either both or none are set, where a program has them. */
const pairs = [
  ['CAIRN_DEMO_KEY', 'CAIRN_DEMO_SECRET'],
  ['TLS_CERT', 'TLS_KEY'],
  ['CAIRN_STRIPE_SECRET_KEY', 'CAIRN_STRIPE_WEBHOOK_SECRET'],
] as const;

type RawSettings = Partial<Record<SettingName, unknown>>;
/** Source of settings, and the list that collects problems. */
interface Source {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly shape: SettingsShape;
  readonly problems: SettingsProblem[];
}

/**
 * Reads the settings of a program, and {@link commonSettings}, from the environment and from a JSON file (`CAIRN_CONFIG`,
 * or `cairn.config.json` where that exists). The environment wins. Paths in the file are relative to the file. Settings
 * of other programs are accepted and not checked.
 * @throws SETTINGS_INVALID with every problem
 */
export function loadSettings<Shape extends SettingsShape>(
  shape: Shape,
  { env = process.env, directory = process.cwd() }: LoadSettingsOptions = {},
): Settings<Shape> {
  const problems: SettingsProblem[] = [];
  const source: Source = { env, directory, shape: { ...commonSettings, ...shape }, problems };
  const raw = { ...readFile(source), ...readEnvironment(source) };
  const values = parseValues(raw, source);
  const tls = readTls(values.TLS_CERT, values.TLS_KEY, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...values, tls } as Settings<Shape>;
}

function parseValues(raw: RawSettings, { shape, directory, problems }: Source) {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(shape) as [SettingName, Setting<unknown>][]) {
    const parsed = setting.parse(raw[key]);
    if ('problem' in parsed) {
      const got = shown(setting, raw[key]);
      problems.push({ key, problem: `${parsed.problem}, got ${got}${serviceLinkHint(raw[key])}` });
      continue;
    }
    values[key] = isPath(setting) && typeof parsed.value === 'string' ? resolve(directory, parsed.value) : parsed.value;
    if (setting.kind === 'file' && parsed.value !== undefined && !existsSync(String(values[key])))
      problems.push({ key, problem: `there is no file ${values[key]}` });
  }
  for (const [one, other] of pairs) {
    if (!(one in shape && other in shape) || (raw[one] === undefined) === (raw[other] === undefined)) continue;
    const [set, missing] = raw[one] === undefined ? [other, one] : [one, other];
    problems.push({ key: missing, problem: `${set} is set, so ${missing} must be set too` });
  }
  return values as { readonly TLS_CERT?: string; readonly TLS_KEY?: string };
}

function readEnvironment({ env, directory, shape, problems }: Source): RawSettings {
  for (const name of Object.keys(env)) {
    if (commandNames.has(name) || isKnown(name)) continue;
    if (!name.startsWith('CAIRN_') && !isMisspelled(name, settingNames)) continue;
    problems.push({ key: name, problem: unknownName(name) });
  }
  const found = settingNames.filter((name) => env[name] !== undefined && env[name] !== '');
  return withAbsolutePaths(Object.fromEntries(found.map((name) => [name, env[name]])), shape, directory);
}

function readFile({ env, directory, shape, problems }: Source): RawSettings {
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
    if (!isKnown(name)) problems.push({ key: `${name} (in ${file})`, problem: unknownName(name) });
  }
  return withAbsolutePaths(content, shape, dirname(file));
}

function withAbsolutePaths(raw: RawSettings, shape: SettingsShape, directory: string): RawSettings {
  const absolute: RawSettings = { ...raw };
  for (const [name, setting] of Object.entries(shape) as [SettingName, Setting<unknown>][]) {
    const value = absolute[name];
    if (isPath(setting) && typeof value === 'string') absolute[name] = resolve(directory, value);
  }
  return absolute;
}

function isPath({ kind }: Setting<unknown>): boolean {
  return kind === 'path' || kind === 'file';
}

function isKnown(name: string): boolean {
  return (settingNames as readonly string[]).includes(name);
}

function unknownName(name: string): string {
  const near = nearestName(name, settingNames);
  return `there is no such setting. ${near ? `Did you mean ${near}?` : 'Remove it. The README lists all settings.'}`;
}

function shown({ kind }: Setting<unknown>, value: unknown): string {
  if (kind === 'secret') return 'something else';
  return JSON.stringify(value)?.slice(0, 100) ?? String(value);
}

/** Kubernetes sets STORAGE_API_PORT to tcp://… in every pod beside a service named storage-api. */
function serviceLinkHint(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('tcp://')) return '';
  return ' (set by Kubernetes for a service of that name: set enableServiceLinks: false in the pod)';
}

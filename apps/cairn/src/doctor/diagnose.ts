import { errorText } from '@cairn/errors';
import { loadSettings, SettingsError } from '@cairn/service-kit';
import { type CommandSettings, settingsShape } from '../settings.ts';
import { loadServiceSettings, missingServices } from '../workspace.ts';
import { checkEngines } from './check-engines.ts';
import { checkHome } from './check-home.ts';
import { checkPorts } from './check-ports.ts';
import { checkStores } from './check-stores.ts';
import { checkSystem, checkTls } from './check-system.ts';
import { checkUpstreams } from './check-upstreams.ts';
import { type Finding, fault, good, unknown } from './finding.ts';

/** Checks this machine and the settings for Cairn. Changes nothing and opens no store; the bucket gets a probe object. */
export async function diagnose(version: string): Promise<Finding[]> {
  const system = checkSystem(version);
  let settings: CommandSettings;
  try {
    settings = loadSettings({ ...(await loadServiceSettings()), ...settingsShape });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { problems } = error;
    return [
      ...system,
      ...problems.map(({ key, problem }) => fault('settings', `${key}: ${problem}.`, `Correct ${key}.`)),
    ];
  }
  const checks: readonly [string, (settings: CommandSettings) => Finding[] | Promise<Finding[]>][] = [
    ['tls', checkTls],
    ['home', checkHome],
    ['stores', (of) => (of.CAIRN_DATABASE_URL === undefined ? checkStores(of) : [])],
    ['ports', checkPorts],
    ['engines', checkEngines],
    ['upstreams', checkUpstreams],
  ];
  const findings = await Promise.all(
    checks.map(async ([name, run]) => {
      try {
        return await run(settings);
      } catch (error) {
        return [fault(name, errorText(error), 'Correct it and run `cairn doctor` again.')];
      }
    }),
  );
  return [...system, ...settingsFindings(), ...findings.flat()];
}

function settingsFindings(): Finding[] {
  const missing = missingServices();
  if (missing.length === 0) return [good('settings', 'All settings are valid.')];
  const text = `Settings of ${missing.join(', ')} were not checked: the builds are not beside this program.`;
  return [good('settings', 'The checked settings are valid.'), unknown('settings', text)];
}

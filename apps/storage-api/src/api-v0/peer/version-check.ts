import manifest from '../../../package.json' with { type: 'json' };
import { ApiError } from '../api-error.ts';
import { sendJson } from '../write.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';

/** Share of peers with a newer version that means an update, in percent, as in Kubo. */
const percentDefault = 5;

/** `version/check`: compares this version with those of connected peers that run the same software. */
export const versionCheck = definePeerCommand({
  name: 'version/check',
  scope: 'read',
  grant: 'node',
  options: {
    'min-percent': { kind: 'integer', alias: 't', default: percentDefault, min: -(2 ** 31), max: 2 ** 31 - 1 },
  },
  args: { name: '', min: 0, max: 0 },
  offline: offlineAnswers.command,
  check({ options: { 'min-percent': percent } }) {
    if (percent < 0 || percent > 100)
      throw new ApiError(400, 'Version.SwarmCheckPercentThreshold must be between 1 and 100');
  },
  async run({ peer, response, within, options: { 'min-percent': percent } }) {
    const agents = (await within(() => peer.swarm.peers())).map(({ agentVersion = '' }) => agentVersion);
    sendJson(response, compareVersions(manifest.version, agents, percent === 0 ? percentDefault : percent));
  },
});

/** Counts agents such as `cairn/0.2.0` with this version included. Those of other software and of drafts do not count. */
export function compareVersions(running: string, agents: readonly string[], percent: number) {
  const others = agents.flatMap((agent) => /^cairn\/(\d{1,9}\.\d{1,9}\.\d{1,9})(\/|$)/.exec(agent)?.[1] ?? []);
  const newer = others.filter((version) => order(version, running) > 0);
  const sampled = others.length + 1;
  return {
    UpdateAvailable: newer.length / sampled >= percent / 100,
    RunningVersion: running,
    GreatestVersion: newer.reduce((greatest, version) => (order(version, greatest) > 0 ? version : greatest), running),
    PeersSampled: sampled,
    WithGreaterVersion: newer.length,
  };
}

function order(one: string, other: string): number {
  const [numbers, others] = [one, other].map((version) => version.split('.').map(Number));
  for (const [index, number] of (numbers ?? []).entries()) {
    const difference = number - (others?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Names browser and system of a `User-Agent`: `Firefox on Linux`. Other programs are named by their first word. */
export function browserOf(agent: string | undefined): string {
  if (agent === undefined || agent === '') return 'Unknown browser';
  const browser = browsers.find(([mark]) => agent.includes(mark))?.[1];
  if (browser === undefined) return agent.split(/[ /]/, 1)[0]?.slice(0, 40) || 'Unknown browser';
  const system = systems.find(([mark]) => agent.includes(mark))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}

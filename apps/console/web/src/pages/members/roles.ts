/** Titles and rights of the roles, in the words of the pages. */
export const roleTitles = {
  owner: { title: 'Owner', text: 'Everything, also members and billing' },
  developer: { title: 'Developer', text: 'Keys, files, names and networks' },
  billing: { title: 'Billing', text: 'Usage, card and statements' },
  'read-only': { title: 'Read only', text: 'Sees all but changes nothing' },
  operator: { title: 'Operator', text: 'All accounts of this service' },
} as const;

/** Roles to choose from. */
export const roleOptions = (['owner', 'developer', 'billing', 'read-only'] as const).map((value) => ({
  value,
  label: `${roleTitles[value].title}: ${roleTitles[value].text.toLowerCase()}`,
}));

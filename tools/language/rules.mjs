// Words and openings that make a reader stop, each with the text to write instead. `appliesTo` names the kinds of prose; a rule
// without it applies to all of them. Phrases match across line ends.

const word = (pattern, write) => ({ pattern: new RegExp(`\\b(?:${pattern.replaceAll(' ', '\\s+')})\\b`, 'gi'), write });

/** First words that hide the subject of a comment, of a test name or of a heading. */
export const openings = [
  {
    pattern: /^(?:What|Who|Whose|Where|Of|As|Those|Told)\b/,
    appliesTo: ['comment', 'test name', 'heading', 'subject'],
    write: 'a noun or a verb first, such as "Reports whether …" or "Limits of …"',
  },
  {
    pattern: /^How\b/,
    appliesTo: ['heading', 'subject'],
    write: 'the term, such as "Chain import" or "Garbage collection"',
  },
];

export const words = [
  word('nobody|whoever|whomever', 'the subject: "no caller", "each client that …"'),
  word('told', '"reported", "returned", "recorded" or "notified"'),
  word('it knows', 'the subject and its state: "the registry contains …"'),
  word('held to|holds? (?:it|them) to', '"verified against" or "limited to"'),
  word('mend(?:s|ed|ing)?', '"repair" or "fix"'),
  word('rots?|rotted|rotten|rotting', '"corrupt"'),
  word('lets? (?:it |them )?go|letting (?:it |them )?go', '"release" or "abort"'),
  word('com(?:es?|ing) to|came to', '"results in", "is" or "reaches"'),
  word('stands? on|stood on|standing on', '"depends on"'),
  word('dear(?:er|est|ly)?', '"expensive"'),
  word('go(?:es|ing)? on|went on|gone on', '"continues", "resumes" or "happens"'),
  word('at once', '"immediately" or "concurrently"'),
];

/** Old names of concepts, and the one word that replaces each. `switchToHttp` and its like are methods of Nest. */
export const names = [
  ['PlainLane', 'HttpFastPath'],
  ['InlineLane', 'InlineExecutor'],
  ['Upkeep', 'StoreMaintenance'],
  ['HeldRoots', 'RetainedRoots'],
  ['told', 'reported` or `recorded'],
  ['letGo', 'releaseOwnership'],
  ['switchTo', 'reorgTo'],
].map(([name, write]) => ({
  pattern: new RegExp(
    `(?:^|(?<=[a-z\\d_]))${name}(?![a-z]|Http|Rpc|Ws)|^${name[0].toLowerCase()}${name.slice(1)}(?![a-z]|Http|Rpc|Ws)`,
  ),
  write: `\`${write}\``,
}));

// Prose of a file: comments, messages, test names, headings and paragraphs, each with its line.
import jsTokens from 'js-tokens';

const testFunctions = new Set(['test', 'it', 'describe']);

/** @returns the kind of prose that a file contains, or nothing for a file without prose */
export function formatOf(path) {
  if (/\.(?:[cm]?[jt]s|tsx)$/.test(path)) return 'script';
  if (/\.md$/.test(path)) return 'markdown';
  if (/\.(?:ya?ml|sh|service|toml|conf|env|dockerignore)$|(?:^|\/)(?:Dockerfile|run)$/.test(path)) return 'hash';
  return undefined;
}

/** @returns pieces `{ kind, line, text }` in the order of the file; `source` is a text with its inline code */
export function proseOf(path, text) {
  const format = formatOf(path);
  if (format === 'script') return proseOfScript(text, /\.tsx$/.test(path));
  if (format === 'markdown') return proseOfMarkdown(text);
  return format === 'hash' ? joinLines(hashComments(text)) : [];
}

function proseOfScript(text, jsx) {
  const pieces = [];
  const lineComments = [];
  let line = 1;
  let opensTest = false;
  let previous = '';
  let previousLine = 0;
  for (const { type, value } of jsTokens(text, { jsx })) {
    const at = line;
    for (let index = value.indexOf('\n'); index !== -1; index = value.indexOf('\n', index + 1)) line++;
    if (type === 'SingleLineComment') {
      const comment = { kind: 'comment', line: at, text: value.slice(2).trim() };
      // A comment behind code is a text of its own.
      if (previousLine === at) pieces.push(comment);
      else lineComments.push(comment);
    }
    if (type === 'MultiLineComment') pieces.push(...blockComment(value, at));
    else if (type === 'IdentifierName' || type === 'PrivateIdentifier') {
      pieces.push({ kind: 'name', line: at, text: value.replace(/^#/, '') });
      if (testFunctions.has(value) && previous !== '.') opensTest = true;
    } else if (type === 'StringLiteral' || /Template/.test(type)) {
      const isName = opensTest && previous === '(';
      if (isName) opensTest = false;
      pieces.push({
        kind: isName ? 'test name' : 'message',
        line: at,
        text: value.replace(/^['"`}]|(?:['"`]|\$\{)$/g, ''),
      });
    } else if (type === 'JSXText' || type === 'JSXString') pieces.push({ kind: 'message', line: at, text: value });
    else if (value === ';') opensTest = false;
    if (!/WhiteSpace|LineTerminator|Comment/.test(type)) [previous, previousLine] = [value, line];
  }
  return [...pieces, ...joinLines(lineComments)].sort((a, b) => a.line - b.line);
}

/** A block comment and each of its tags, because a tag starts a sentence of its own. */
function* blockComment(value, line) {
  const lines = value
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((part) => part.replace(/^\s*\*? ?/, '').trim());
  let piece;
  for (const [index, text] of lines.entries()) {
    if (text === '' || text.startsWith('@') || text.startsWith('- ')) {
      if (piece) yield piece;
      piece = undefined;
    }
    if (text === '') continue;
    if (piece) piece.text += ` \n${text}`;
    else
      piece = {
        kind: text.startsWith('@') ? 'tag' : 'comment',
        line: line + index,
        text: text.replace(/^- /, ''),
      };
  }
  if (piece) yield piece;
}

/** Comments on consecutive lines are one text. */
function joinLines(comments) {
  const joined = [];
  let end = 0;
  for (const comment of comments) {
    const last = joined.at(-1);
    if (last && comment.line === end + 1) last.text += ` \n${comment.text}`;
    else joined.push({ ...comment });
    end = comment.line;
  }
  return joined;
}

function* hashComments(text) {
  for (const [index, line] of text.split('\n').entries()) {
    const [, comment] = /(?:^|\s)#(?!!)\s?(.*)$/.exec(line) ?? [];
    if (comment) yield { kind: 'comment', line: index + 1, text: comment.trim() };
  }
}

function proseOfMarkdown(text) {
  const pieces = [];
  let fence;
  for (const [index, line] of text.split('\n').entries()) {
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (mark) fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence;
    if (mark || fence !== undefined || line.trim() === '') continue;
    const [, heading] = /^#+\s+(.*)$/.exec(line) ?? [];
    const kind = heading ? 'heading' : 'paragraph';
    const source = heading ?? line;
    const bare = source.replace(/`[^`]*`/g, (code) => '`'.padEnd(code.length, '·'));
    const last = pieces.at(-1);
    const continues = kind === 'paragraph' && last?.kind === 'paragraph' && last.end === index;
    if (continues && !/^\s*(?:[-*|>]|\d+\.)/.test(line)) {
      last.text += ` \n${bare}`;
      last.source += ` \n${source}`;
      last.end = index + 1;
    } else pieces.push({ kind, line: index + 1, end: index + 1, text: bare, source });
  }
  return pieces;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainWords } from './plain-words.js';

const root = join(import.meta.dirname, '..', '..');
/** Folders that hold no text of the project, or that a run writes. */
const SKIPPED = ['.git', 'coverage', 'data', 'dist', 'node_modules', 'reports'];
const SOURCE = /^(?:src|libs|packages|generator|scripts)\/.*\.(?:ts|mts|mjs)$/;
/** White space, with the asterisk, slashes or dash that begin the next line. */
const GAP = '\\s+(?:(?:\\*|//|-)\\s+)?';
const GAP_TEXT = new RegExp(GAP, 'g');

const phrases = plainWords.map(
  ([phrase, plain]) => [new RegExp(`(?<![\\w-])(?:${phrase.source.replaceAll(' ', GAP)})(?![\\w-])`, 'gi'), plain] as const,
);

/** Returns a message for each phrase that a text should not have. */
function findPhrases(file: string, text: string): string[] {
  return phrases.flatMap(([phrase, plain]) =>
    [...text.matchAll(phrase)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line} "${found.replaceAll(GAP_TEXT, ' ')}": write ${plain}`;
    }),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : filesBelow(path);
    return path.endsWith('.md') || SOURCE.test(path) ? [path] : [];
  });
}

describe('the prose of documents, comments and messages', () => {
  it('is recognised with file, line and plain words, also across a line break', () => {
    expect(findPhrases('a.ts', "// one\n/**\n * It goes\n * on anew.\n */\nconst alone = 'alone';")).toEqual([
      'a.ts:4 "anew": write again',
      'a.ts:3 "goes on": write continue',
    ]);
  });

  it('uses plain words', () => {
    expect(filesBelow('').flatMap((file) => findPhrases(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});

import { oneLine } from '../text/message-body.ts';

/** The longest query that the service accepts, in code points. */
const MAX_Q = 64;
/** Parts of a query that the service looks for; it ignores the others. */
const MAX_PARTS = 8;
/** The service refuses these. */
const BAD = /[\p{Cc}\p{Cs}]+/gu;
/** Characters of an excerpt before its first mark, so that the mark is seen in a narrow row. */
const BEFORE = 20;
const EXCERPT = 160;

/** A piece of a text. */
interface Piece {
  readonly text: string;
  /** It is what was searched for. */
  readonly isMarked: boolean;
}

/** The query in the text of a search field; empty: nothing is searched for. */
export function toMessageQuery(typed: string): string {
  const text = typed
    .slice(0, MAX_Q * 4)
    .replace(BAD, ' ')
    .trim();
  return [...text].slice(0, MAX_Q).join('').trim();
}

/** What a message has to contain, in lower case, in any order. */
export function partsOf(q: string): readonly string[] {
  return q === '' ? [] : q.toLowerCase().trim().split(/\s+/u, MAX_PARTS);
}

/** Whether a search finds a text, by the rule of the service. */
export function isFound(body: string, parts: readonly string[]): boolean {
  const folded = body.toLowerCase();
  return parts.length > 0 && parts.every((part) => folded.includes(part));
}

/** Where the parts occur, from left to right; what overlaps or touches is one. */
export function findMarks(text: string, parts: readonly string[]): readonly { start: number; end: number }[] {
  const { folded, startOf } = foldWithPlaces(text);
  const found = parts
    .flatMap((part) => placesOf(folded, part))
    .map(([start, end]) => ({ start: startOf(start), end: startOf(end) }))
    .sort((one, other) => one.start - other.start);
  const marks: { start: number; end: number }[] = [];
  for (const { start, end } of found) {
    const last = marks.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else marks.push({ start, end });
  }
  return marks;
}

/** A text in pieces, of which every other one is marked. */
export function splitByMarks(text: string, parts: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of findMarks(text, parts)) {
    if (start > at) pieces.push({ text: text.slice(at, start), isMarked: false });
    pieces.push({ text: text.slice(start, end), isMarked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false });
  return pieces;
}

/** A message on one line from a little before its first mark on. */
export function excerptOf(body: string, parts: readonly string[]): readonly Piece[] {
  const first = findMarks(body, parts)[0]?.start ?? 0;
  const start = first <= BEFORE ? 0 : startOfWord(body, first - BEFORE, first);
  const line = oneLine(body.slice(start), EXCERPT);
  return splitByMarks(start === 0 ? line : `…${line}`, parts);
}

/** The first place after white space, if there is one before `end`; else no half of a surrogate pair. */
function startOfWord(text: string, from: number, end: number): number {
  const space = text.slice(from, end).search(/\s/u);
  if (space >= 0) return from + space + 1;
  return /^[\udc00-\udfff]/.test(text.slice(from)) ? from + 1 : from;
}

function placesOf(folded: string, part: string): [start: number, end: number][] {
  const places: [number, number][] = [];
  for (let at = folded.indexOf(part); at >= 0 && part !== ''; at = folded.indexOf(part, at + part.length))
    places.push([at, at + part.length]);
  return places;
}

/** A text in lower case; a few characters, as the Turkish İ, become longer by it. */
function foldWithPlaces(text: string): { folded: string; startOf: (place: number) => number } {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return { folded, startOf: (place) => place };
  const starts: number[] = [];
  let lower = '';
  let at = 0;
  for (const character of text) {
    const own = character.toLowerCase();
    for (let i = 0; i < own.length; i++) starts.push(at);
    lower += own;
    at += character.length;
  }
  return { folded: lower, startOf: (place) => starts[place] ?? text.length };
}

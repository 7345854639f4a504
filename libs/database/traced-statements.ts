import { LRUCache } from 'lru-cache';
import type { SpanDescription, Tracing } from '#libs/tracing';
import type { Dialect } from './sql.js';

type System = Dialect['name'];

const SYSTEM_NAMES = { sqlite: 'sqlite', postgres: 'postgresql' } as const satisfies Record<System, string>;
const OPERATION = /^\s*(\w+)/;
const TARGET = /\b(?:FROM|INTO|UPDATE|TABLE)\s+"?(\w+)/i;
const INNERMOST = /\([^()]*\)/g;
const MOST_DESCRIPTIONS = 300;

const descriptions = new LRUCache<string, SpanDescription>({ max: MOST_DESCRIPTIONS });

/** Sends a statement in a span of its own if tracing is on. */
export function traceStatement<Result>(tracing: Tracing, system: System, text: string, send: () => Result): Result {
  return tracing.isOn ? tracing.span(describe(text, system), send) : send();
}

/** By the conventions for databases (https://opentelemetry.io/docs/specs/semconv/db/sql/): the text has placeholders where values are. */
function describe(text: string, system: System): SpanDescription {
  const known = descriptions.get(text);
  if (known) return known;
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const target = TARGET.exec(withoutParentheses(text))?.[1];
  const description = {
    name: target === undefined ? operation : `${operation} ${target}`,
    kind: 'client',
    attributes: {
      'db.system.name': SYSTEM_NAMES[system],
      'db.operation.name': operation,
      'db.collection.name': target,
      'db.query.text': text,
    },
  } as const;
  descriptions.set(text, description);
  return description;
}

/** Removes subqueries, whose tables are not the target of the statement. */
function withoutParentheses(text: string): string {
  const shorter = text.replace(INNERMOST, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

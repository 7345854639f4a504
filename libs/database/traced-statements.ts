import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { inChildSpan, isTracing } from '#libs/observability';
import type { Dialect } from './sql.js';

type System = Dialect['name'];

const SYSTEM_NAMES = { sqlite: 'sqlite', postgres: 'postgresql' } as const satisfies Record<System, string>;
const OPERATION = /^\s*(\w+)/;
const TARGET = /\b(?:FROM|INTO|UPDATE|TABLE)\s+"?(\w+)/i;
const INNERMOST = /\([^()]*\)/g;
const MOST_DESCRIPTIONS = 300;

interface SpanDescription {
  readonly name: string;
  readonly options: SpanOptions;
}

const descriptions = new LRUCache<string, SpanDescription>({ max: MOST_DESCRIPTIONS });

/** Sends a statement in a span of its own, if it is part of a trace. */
export function traceStatement<Result>(system: System, text: string, send: () => Result): Result {
  if (!isTracing()) return send();
  const { name, options } = describe(text, system);
  return inChildSpan(name, options, send);
}

/** By the conventions for databases (https://opentelemetry.io/docs/specs/semconv/db/sql/): the text has placeholders where values are. */
function describe(text: string, system: System): SpanDescription {
  const known = descriptions.get(text);
  if (known) return known;
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const target = TARGET.exec(withoutParentheses(text))?.[1];
  const description = {
    name: target === undefined ? operation : `${operation} ${target}`,
    options: {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': SYSTEM_NAMES[system],
        'db.operation.name': operation,
        'db.collection.name': target,
        'db.query.text': text,
      },
    },
  };
  descriptions.set(text, description);
  return description;
}

/** The table of a subquery is not that of the statement. */
function withoutParentheses(text: string): string {
  const shorter = text.replace(INNERMOST, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

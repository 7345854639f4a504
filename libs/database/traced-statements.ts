import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { inChildSpan, isTracing } from '#libs/observability';
import type { Dialect } from './sql.js';

const SYSTEM_NAMES = { sqlite: 'sqlite', postgres: 'postgresql' } as const satisfies Record<Dialect['name'], string>;
const OPERATION = /^\s*(\w+)/;
const TARGET = /\b(?:FROM|INTO|UPDATE|TABLE)\s+"?(\w+)/i;
const INNERMOST_PARENTHESES = /\([^()]*\)/g;

const spans = new LRUCache<string, { readonly name: string; readonly options: SpanOptions }, Dialect['name']>({
  max: 300,
  memoMethod: (text, _stale, { context: system }) => describe(text, system),
});

/** Sends a statement in a span of its own, if it is part of a trace. */
export function traceStatement<Result>(system: Dialect['name'], text: string, send: () => Result): Result {
  if (!isTracing()) return send();
  const { name, options } = spans.memo(text, { context: system });
  return inChildSpan(name, options, send);
}

/** By the conventions for databases (https://opentelemetry.io/docs/specs/semconv/db/sql/): the text has placeholders where values are. */
function describe(text: string, system: Dialect['name']) {
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const target = TARGET.exec(withoutParentheses(text))?.[1];
  const attributes = {
    'db.system.name': SYSTEM_NAMES[system],
    'db.operation.name': operation,
    'db.collection.name': target,
    'db.query.text': text,
  };
  return { name: target === undefined ? operation : `${operation} ${target}`, options: { kind: SpanKind.CLIENT, attributes } };
}

/** The table of a subquery is not that of the statement. */
function withoutParentheses(text: string): string {
  const shorter = text.replace(INNERMOST_PARENTHESES, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

import { LRUCache } from 'lru-cache';
import type { DataSource, QueryRunner } from 'typeorm';
import type { SpanDescription, Tracing } from '#libs/tracing';
import type { Dialect } from './sql.js';

type System = Dialect['name'];

const SYSTEM_NAMES = { sqlite: 'sqlite', postgres: 'postgresql' } as const satisfies Record<System, string>;
const OPERATION = /^\s*(\w+)/;
const TARGET = /\b(?:FROM|INTO|UPDATE|TABLE)\s+"?(\w+)/i;
const INNERMOST = /\([^()]*\)/g;
const MOST_DESCRIPTIONS = 300;

const descriptions = new LRUCache<string, SpanDescription>({ max: MOST_DESCRIPTIONS });

/** Has a statement sent in a span of its own, where there is a trace for it. */
export function traceStatement<Result>(tracing: Tracing, system: System, text: string, send: () => Result): Result {
  return tracing.isOn ? tracing.span(describe(text, system), send) : send();
}

/** Has the statements of TypeORM's repositories traced. */
export function traceRepositories(source: DataSource, tracing: Tracing, system: System): void {
  if (!tracing.isOn) return;
  const traced = new WeakSet<QueryRunner>();
  const create = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => {
    const runner = create(mode);
    // On SQLite there is but one.
    if (traced.has(runner)) return runner;
    traced.add(runner);
    const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
    return Object.assign(runner, {
      query: (text: string, ...rest: unknown[]) => traceStatement(tracing, system, text, () => query(text, ...rest)),
    });
  };
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

/** What a statement within the statement is about says nothing of it. */
function withoutParentheses(text: string): string {
  const shorter = text.replace(INNERMOST, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

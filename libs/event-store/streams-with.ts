import { raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';

/** Streams with a number each as a table of one parameter, however many there are: its columns are `key` and `value`. */
export function streamsWith({ dialect }: SqlRunner, numbers: ReadonlyMap<string, number>): SqlFragment {
  const members = raw(dialect.name === 'sqlite' ? 'json_each' : 'json_each_text');
  return sql`${members}(${JSON.stringify(Object.fromEntries(numbers))})`;
}

import type { Type } from '@nestjs/common';
import { Field, ID, InputType } from '@nestjs/graphql';
import type { Filters, FilterInput, FilterValues } from '#libs/event-sourcing';
import { expectedText, isText, LARGEST_LIMIT, quoteGiven, readId, TEXT_FILTER } from '#libs/http';
import { invalidParameter } from '#libs/observability';
import { DateTimeScalar } from './scalars.js';

/**
 * Returns an input type with a member for each filter.
 * @param words the enum types of filters by words, by the names of the filters
 */
export function filterType(name: string, filters: Filters, words: Readonly<Record<string, object>> = {}): Type<object> {
  @InputType(name, { description: 'How a list is narrowed: it has the items that match all members.' })
  class ListFilter {}
  for (const [member, { input, description }] of Object.entries(filters)) {
    const type = typeOf(input, words[member]);
    Field(() => type, { nullable: true, description })(ListFilter.prototype, member);
  }
  return ListFilter;
}

function typeOf({ kind }: FilterInput, words: object = {}) {
  switch (kind) {
    case 'words':
      return [words];
    case 'ids':
      return [ID];
    case 'text':
      return String;
    case 'time':
      return DateTimeScalar;
    case 'boolean':
      return Boolean;
  }
}

/**
 * Returns the values of a filter argument.
 * @throws ApplicationError `invalid_parameter` naming the member and what would be right
 */
export function readFilter<Of extends Filters>(filters: Of, given: object | null | undefined): FilterValues<Of> {
  const members = Object.entries(given ?? {}).filter(([, value]) => value !== undefined) as [string, unknown][];
  return Object.fromEntries(
    members.map(([name, value]) => [name, readMember(`filter.${name}`, filters[name]?.input, value)]),
  ) as FilterValues<Of>;
}

/**
 * Returns the values of a filter that matches what both match; undefined if nothing can match both. A value in lists of both must be in
 * both lists, and any other value of both must be the same.
 */
export function intersectFilters<Values extends object>(one: Values, other: Partial<Values>): Values | undefined {
  const common = { ...one } as Record<string, unknown>;
  for (const [name, wanted] of Object.entries<unknown>(other)) {
    const given = common[name];
    if (given === undefined || wanted === undefined) common[name] = given ?? wanted;
    else if (Array.isArray(given) && Array.isArray(wanted)) {
      const both = given.filter((value) => wanted.includes(value));
      if (both.length === 0) return undefined;
      common[name] = both;
    } else if (given !== wanted) return undefined;
  }
  return common as Values;
}

function readMember(name: string, input: FilterInput | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    assertListSize(name, value);
    return input?.kind === 'ids' ? value.map((item, place) => readId(`${name}[${place}]`, String(item))) : value;
  }
  const { maximum, minimum } = TEXT_FILTER;
  if (input?.kind === 'text' && !isText(value, maximum, minimum)) {
    throw invalidParameter(name, 'text', `${name} ${expectedText(maximum, minimum)}${quoteGiven(value)}`);
  }
  return value;
}

/** @throws ApplicationError `invalid_parameter` for an empty list, which would match nothing, and for more than 100 values */
export function assertListSize(name: string, { length }: readonly unknown[]): void {
  if (length < 1 || length > LARGEST_LIMIT) throw invalidParameter(name, 'listSize', `${name} must have 1 to ${LARGEST_LIMIT} values`);
}

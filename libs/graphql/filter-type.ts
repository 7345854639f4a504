import type { Type } from '@nestjs/common';
import { Field, ID, InputType } from '@nestjs/graphql';
import type { Filters, FilterInput, FilterValues } from '#libs/event-sourcing';
import { EXPECTED_PART, isPartOfText, LARGEST_LIMIT, readId } from '#libs/http';
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

function readMember(name: string, input: FilterInput | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    assertListSize(name, value);
    return input?.kind === 'ids' ? value.map((item, place) => readId(`${name}[${place}]`, String(item))) : value;
  }
  if (input?.kind === 'text' && !isPartOfText(value)) throw invalidParameter(name, 'partOfText', `${name} ${EXPECTED_PART}`);
  return value;
}

/** @throws ApplicationError `invalid_parameter` for an empty list, which would match nothing, and for more than 100 values */
export function assertListSize(name: string, { length }: readonly unknown[]): void {
  if (length < 1 || length > LARGEST_LIMIT) throw invalidParameter(name, 'listSize', `${name} must have 1 to ${LARGEST_LIMIT} values`);
}

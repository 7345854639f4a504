import { IsBoolean, IsIn } from 'class-validator';
import type { FastifyReply } from 'fastify';
import type { Filters, FilterInput, FilterValues, ListRange } from '#libs/event-sourcing';
import { ApiDescription, createRule, IfGiven, IsInt64List, IsText, IsTime } from '../validation/rules.js';
import { LARGEST_LIMIT, pageOf, PageRequest } from './pages.js';

/** How long the text of a filter is, in Unicode characters. */
export const TEXT_FILTER = { maximum: 255, minimum: 2 };
const TOTAL_COUNT = 'X-Total-Count';

/** For the description of an operation whose parameters are a `FilteredPageRequest`. */
export const totalCountHeader = { [TOTAL_COUNT]: 'The number of items on all pages together. Only with `total=true`.' };

/** The page of a list that can be narrowed and turned round. */
export class FilteredPageRequest extends PageRequest {
  @IfGiven()
  @IsIn(['asc', 'desc'], { message: '$property must be asc or desc' })
  @ApiDescription(
    'Whether the list ascends (`asc`, the default) or descends (`desc`: the newest first): by id, with a filter by time by that time, then by id.',
  )
  readonly order?: 'asc' | 'desc';

  @IfGiven()
  @IsBoolean({ message: '$property must be true or false' })
  @ApiDescription(`Whether the header \`${TOTAL_COUNT}\` is to say how many items there are on all pages together.`)
  readonly total?: boolean;
}

/** Returns the class of the query parameters of a list: a page, and a parameter for each filter that has one. */
export function filteredPageRequest(filters: Filters): new () => FilteredPageRequest {
  class ListRequest extends FilteredPageRequest {}
  for (const { parameter, input, description } of Object.values(filters)) {
    if (parameter === undefined) continue;
    for (const decorate of [IfGiven(), ruleOf(input), ApiDescription(description)]) decorate(ListRequest.prototype, parameter);
  }
  return ListRequest;
}

/** Returns the range of a read model that a valid request asks for. */
export function filteredRangeOf<Of extends Filters>(filters: Of, request: FilteredPageRequest): ListRange<Of> {
  const { limit, after, order } = pageOf(request);
  return { limit, after, descending: order === 'desc', namesParameters: true, filters: filterValuesOf(filters, request) };
}

/** Returns the values of filters that a valid request gives. */
function filterValuesOf<Of extends Filters>(filters: Of, request: FilteredPageRequest): FilterValues<Of> {
  const given = Object.entries<Filters[string]>(filters).flatMap(([name, { parameter, input }]) => {
    const value: unknown = parameter === undefined ? undefined : Reflect.get(request, parameter);
    if (value === undefined) return [];
    const isUnset = (word: unknown) => input.kind === 'words' && word === input.unset;
    return [[name, Array.isArray(value) ? value.map((word: unknown) => (isUnset(word) ? null : word)) : value]];
  });
  return Object.fromEntries(given) as FilterValues<Of>;
}

/** Adds the number of all items if the request asks for it. */
export async function addTotalCount(reply: FastifyReply, { total }: FilteredPageRequest, count: () => Promise<number>): Promise<void> {
  if (total) void reply.header(TOTAL_COUNT, (await count()).toString());
}

function ruleOf(input: FilterInput): PropertyDecorator {
  switch (input.kind) {
    case 'words':
      return IsWordList([...input.words, ...(input.unset === undefined ? [] : [input.unset])]);
    case 'ids':
      return IsInt64List(LARGEST_LIMIT);
    case 'text':
      return IsText(TEXT_FILTER.maximum, TEXT_FILTER.minimum);
    case 'time':
      return IsTime();
    case 'boolean':
      return IsBoolean({ message: '$property must be true or false' });
  }
}

function IsWordList(words: readonly string[]): PropertyDecorator {
  return createRule({
    name: 'isWordList',
    schema: { type: 'array', minItems: 1, maxItems: words.length, items: { type: 'string', enum: words } },
    isValid: (value) => Array.isArray(value) && value.length <= words.length && value.every((word) => words.includes(String(word))),
    expected: `must be one of ${words.join(', ')}, or several of them separated by commas`,
  });
}

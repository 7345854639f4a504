import type { AddOptions, CallOptions, MatchOptions, NoneMatchOptions, Tagged } from '../../packages/client/src/conditions.js';
import type { BlankChangeBlankForm, BlankForm, NewBlankForm } from './document.fixture.js';
import { int64Texts, type Moment, type OneOrMore } from '../../packages/client/src/filters.js';
import { buildPath } from '../../packages/client/src/integers.js';
import type { Pages } from '../../packages/client/src/pages.js';
import type { ListOptions, Query, Requests } from '../../packages/client/src/requests.js';

const BLANK_FORMS = '/v1/blank-forms';

export interface BlankFormFilters<Id> {
  readonly ids?: OneOrMore<Id> | undefined;
  // each filter
  readonly blankInteger?: OneOrMore<Id> | undefined;
  readonly blankTimeSince?: Moment | undefined;
  readonly blankTimeBefore?: Moment | undefined;
  readonly blankWord?: OneOrMore<NonNullable<BlankForm<Id>['blankWord']>> | undefined;
  // if state
  readonly blankState?: OneOrMore<BlankForm<Id>['blankState']> | undefined;
}

export interface BlankFormListOptions<Id> extends BlankFormFilters<Id>, ListOptions {}

/** The blank forms. */
export class BlankForms<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** All blank forms that match, ascending by id, with a filter by time by that time, unless `order` says otherwise. Each iteration begins again at the first page. */
  list({ signal, ...query }: BlankFormListOptions<Id> = {}): Pages<BlankForm<Id>> {
    return this.#requests.pages({ path: BLANK_FORMS, query: queryOf(query), signal });
  }

  /** Counts the blank forms that match. */
  async count({ signal, ...query }: BlankFormFilters<Id> & CallOptions = {}): Promise<number> {
    return this.#requests.count({ path: BLANK_FORMS, query: queryOf(query), signal });
  }

  /** The request to blank open one is done once, however often it has to be sent. */
  blankOpen(blankForm: NewBlankForm<Id>, options?: CallOptions): Promise<BlankForm<Id>>;
  blankOpen(blankForm: NewBlankForm<Id>, options: AddOptions): Promise<BlankForm<Id>>;
  blankOpen(blankForm: NewBlankForm<Id>, options?: CallOptions): Promise<BlankForm<Id>> {
    return this.#requests.add(BLANK_FORMS, blankForm, options);
  }

  /** @throws AdoptionError `not_found` if there is none */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<BlankForm<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<BlankForm<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<BlankForm<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<BlankForm<Id>> | undefined> {
    return this.#requests.read({ path: buildPath(BLANK_FORMS, id), ...options });
  }

  // each route
  /** Gives a blank form that is blank closed already as it is. */
  async blankClose(id: Id, options?: CallOptions): Promise<BlankForm<Id>> {
    return this.#requests.read({ method: 'POST', path: `${buildPath(BLANK_FORMS, id)}/blank-close`, ...options });
  }

  /** Gives a blank form that has these values already as it is. */
  async blankChange(id: Id, body: BlankChangeBlankForm<Id>, options?: CallOptions): Promise<BlankForm<Id>> {
    return this.#requests.read({ method: 'POST', path: `${buildPath(BLANK_FORMS, id)}/blank-change`, body, ...options });
  }
}

function queryOf<Id>(query: BlankFormFilters<Id>): Query {
  return {
    ...query,
    ids: int64Texts(query.ids),
    // each filter
    blankInteger: int64Texts(query.blankInteger),
  };
}

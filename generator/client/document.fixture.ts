import type { Client, ClientOptions } from '../../packages/client/src/index.js';
import type { BlankForms } from './blank-forms.js';

/** What stands in the generated types of the client for a module like the template. */
export interface NewBlankForm<Id> {
  readonly blankText?: string;
  readonly blankInteger?: Id;
  readonly blankTime?: string;
  readonly blankFlag?: boolean;
  readonly blankWord?: 'blank-first' | 'blank-second';
}

export interface BlankForm<Id> extends NewBlankForm<Id> {
  readonly id: Id;
  readonly blankState: 'blank-opened-state' | 'blank-closed-state';
}

export type BlankChangeBlankForm<Id> = NewBlankForm<Id>;

export declare function createClient(options: ClientOptions<'bigint'>): Client<bigint> & { readonly blankForms: BlankForms<bigint> };

import type { Answer } from './api-client.fixture.js';
import { startService, UNLIMITED, type Service, type ServiceOptions } from './service.fixture.js';

/** An answer of `/graphql` to a document. */
export interface GraphqlAnswer<Data = Record<string, never>> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: { readonly code: string; readonly errors?: readonly object[] };
  }[];
}

export interface GraphqlService extends Service {
  /** A key of both scopes. */
  readonly token: string;
  /** Sends a document by POST, with a client that takes `application/graphql-response+json`. */
  ask<Data>(query: string, variables?: object): Promise<GraphqlAnswer<Data> & { readonly answer: Answer }>;
  addPet(name: string, values?: { readonly categoryId?: number; readonly status?: string }): Promise<void>;
}

const ACCEPT = 'application/graphql-response+json';

export async function startGraphqlService(options: ServiceOptions = {}): Promise<GraphqlService> {
  const service = await startService(options);
  const { token } = await service.issueKey({ ...UNLIMITED, name: 'tools', scopes: ['pets', 'graphql'] });
  const { client } = service;
  return {
    ...service,
    get app() {
      return service.app;
    },
    token,
    ask: async <Data>(query: string, variables?: object) => {
      const answer = await client.post('/graphql', { query, ...(variables && { variables }) }, { key: token, headers: { accept: ACCEPT } });
      return { ...answer.json<GraphqlAnswer<Data>>(), answer };
    },
    async addPet(name, values) {
      expect((await client.post('/v1/pets', { name, categoryId: 7, ...values })).status).toBe(201);
    },
  };
}

/** The codes of an answer's errors. */
export function codesOf({ errors = [] }: GraphqlAnswer<unknown>): string[] {
  return errors.map(({ extensions }) => extensions.code);
}

import { readPages, table, type CliContext } from '#libs/cli';
import type { ApiKeyView } from '../domain/api-key-view.js';

/** Adds a scope to all keys that have another one, are not revoked and lack it, or only prints them. */
export async function addScopeToAll(
  context: CliContext,
  { scope, allWith, dryRun }: { readonly scope: string; readonly allWith: string; readonly dryRun: boolean },
): Promise<void> {
  const { ListKeys } = await import('../queries/list-keys.query.js');
  const { ChangeApiKey } = await import('../commands/change-api-key.command.js');
  const lacks = ({ revokedAt, scopes }: ApiKeyView) => revokedAt === null && scopes.includes(allWith) && !scopes.includes(scope);
  const keys: ApiKeyView[] = [];
  for await (const page of readPages(context, (range) => new ListKeys(range))) {
    for (const key of page.filter(lacks)) {
      const command = new ChangeApiKey({ type: 'add-scope', id: key.id, scope }, { metadata: context.metadata });
      keys.push(dryRun ? key : (await context.execute(command)).apiKey);
    }
  }
  context.print(keys, keysTable);
  context.note(`${keys.length} of the keys with ${allWith} ${dryRun ? 'lack' : 'got'} ${scope}${dryRun ? '; nothing was changed' : ''}.`);
}

const keysTable = table<ApiKeyView>('There is no such key.', ({ id, name, scopes, owner }) => ({
  id,
  name,
  scopes: scopes.join(', '),
  owner,
}));

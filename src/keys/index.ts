import { domainModule } from '#libs/http';
import { KeysModule } from './keys.module.js';

export { ListKeys, type KeyFilter } from './queries/list-keys.query.js';

/** API keys over REST, GraphQL and the command line: what they are, may do and have used. */
export const keys = domainModule({
  name: 'keys',
  configuredModule: (context) => KeysModule.forRoot(context),
  documentTag: { title: 'API keys', description: 'API keys: your own, and those that you manage.' },
});

import { keptKey, rememberKey } from './kept-key.mjs';
import { namePartsOf } from './named-parts.mjs';

const container = document.getElementById('graphiql');
const root = ReactDOM.createRoot(container);
const NO_KEY = { errors: [{ message: 'Give an API key above, then ask again.' }] };
let starts = 0;

/** Restarts GraphiQL, so that it reads the schema with the current key. Without a key it sends no request. */
function start() {
  const key = keptKey();
  const ask = GraphiQL.createFetcher({ url: '/graphql', headers: { authorization: `Bearer ${key}` } });
  const fetcher = key ? (request, options) => ask(withoutFormerName(request), options) : async () => NO_KEY;
  root.render(
    React.createElement(GraphiQL, {
      key: (starts += 1),
      fetcher,
      defaultTabs: examples(),
      // What is typed goes with the tab, as the key does.
      storage: sessionStorage,
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
      isHeadersEditorEnabled: false,
      // As the bar above it.
      forcedTheme: 'system',
    }),
  );
}

/** GraphiQL learns the name of an operation a moment after the text: until then it would send that of the text before. */
function withoutFormerName({ operationName, ...request }) {
  return operationName && request.query.split(/\W+/).includes(operationName) ? { ...request, operationName } : request;
}

/** Those of the service; `NOW` in their variables is this moment. */
function examples() {
  const now = new Date().toISOString();
  return JSON.parse(container.dataset.examples).map(({ query, variables }) => ({
    query,
    ...(variables && { variables: JSON.stringify(variables, undefined, 2).replaceAll('NOW', now) }),
  }));
}

namePartsOf(container, document.getElementById('tabs'));
rememberKey(document.getElementById('key'), document.getElementById('forget'));
document.getElementById('access').addEventListener('submit', start);
document.getElementById('forget').addEventListener('click', start);
start();

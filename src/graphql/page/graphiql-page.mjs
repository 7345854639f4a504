import { namePartsOf } from './named-parts.mjs';

// Of the tab: a reload keeps it, and it goes with the tab. It is never part of an address, a cookie or what the disk keeps for longer.
const KEY = 'api-key';
const NO_KEY = { errors: [{ message: 'Give an API key above, then ask again.' }] };
/** The tabs that GraphiQL begins with: what REST does not show. Each operation has a name, which its tab has too. */
const EXAMPLES = [
  {
    query: `# What has happened to an animal.
query History($id: ID!) {
  pet(id: $id) {
    name
    history {
      type
      recordedAt
      data
    }
  }
}
`,
    variables: '{ "id": "1" }',
  },
  {
    query: `# An animal as it was at a moment.
query AsOf($id: ID!, $moment: DateTime!) {
  pet(id: $id, asOf: $moment) {
    name
    status
  }
}
`,
    variables: `{ "id": "1", "moment": "${new Date().toISOString()}" }`,
  },
  {
    query: `# The API keys, without their secrets.
query Keys {
  apiKeys(first: 10) {
    nodes {
      id
      name
      scopes
      lastUsedAt
    }
  }
}
`,
  },
];
const container = document.getElementById('graphiql');
const field = document.getElementById('key');
const root = ReactDOM.createRoot(container);
let starts = 0;

/** Restarts GraphiQL, so that it reads the schema with the current key. Without a key it sends no request. */
function start() {
  const key = sessionStorage.getItem(KEY);
  const ask = GraphiQL.createFetcher({ url: '/graphql', headers: { authorization: `Bearer ${key}` } });
  const fetcher = key ? (request, options) => ask(withoutFormerName(request), options) : async () => NO_KEY;
  root.render(
    React.createElement(GraphiQL, {
      key: (starts += 1),
      fetcher,
      defaultTabs: EXAMPLES,
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

namePartsOf(container, document.getElementById('tabs'));
field.value = sessionStorage.getItem(KEY) ?? '';
field.addEventListener('input', () => sessionStorage.setItem(KEY, field.value.trim()));
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  start();
});
document.getElementById('forget').addEventListener('click', () => {
  sessionStorage.removeItem(KEY);
  field.value = '';
  field.focus();
  start();
});
start();

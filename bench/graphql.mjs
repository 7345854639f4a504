import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';

/* A page of 20 of 1,000 animals over REST and over GraphQL, from the same service, measured in turns. */
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;

const child = fork(new URL('service.mjs', import.meta.url), ['with']);
const [{ origin, key }] = await once(child, 'message');
const headers = { authorization: `Bearer ${key}` };
const pages = {
  REST: { url: `${origin}/v1/pets`, headers },
  GraphQL: {
    url: `${origin}/graphql`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ pets { nodes { id name categoryId status } } }' }),
  },
};

async function measure(page, duration) {
  const result = await autocannon({ ...page, duration, connections: CONNECTIONS });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no success, ${result.errors} failed.`);
  return Math.round(result.requests.average);
}

for (const page of Object.values(pages)) await measure(page, 2);
const shares = [];
for (let round = 1; round <= ROUNDS; round += 1) {
  const [rest, graphql] = [await measure(pages.REST, SECONDS), await measure(pages.GraphQL, SECONDS)];
  shares.push(graphql / rest);
  console.log(`round ${round}: ${rest} requests/s over REST, ${graphql} over GraphQL`);
}
child.kill();

const [median] = shares.sort((left, right) => left - right).slice(Math.floor(ROUNDS / 2));
console.log(`A page of 20 animals over GraphQL reaches ${(median * 100).toFixed(1)} % of the requests in a second of REST.`);

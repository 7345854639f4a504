// Adds an animal, finds it in the list and hears of it, all by the client that is installed beside this file's copy.
import { createClient } from '@adoption/client';

const client = createClient({ baseUrl: process.env.ADOPTION_URL, key: process.env.ADOPTION_KEY, ids: 'bigint' });
const { id } = await client.pets.add({ name: 'Max', categoryId: 9223372036854775807n });

for await (const animal of client.pets.list({ limit: 1 })) {
  if (animal.id !== id) continue;
  for await (const { type, data } of client.events.stream({ after: 'earliest', subject: `pets/${id}` })) {
    console.log(id, animal.name, data.categoryId, type);
    break;
  }
}

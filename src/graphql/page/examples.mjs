/** The tabs that GraphiQL begins with: what REST does not show. Each operation has a name, which its tab has too. */
export const examples = [
  {
    query: `# The animals, a page at a time.
query List {
  pets(first: 10) {
    totalCount
    nodes {
      id
      name
      status
    }
    pageInfo {
      endCursor
      hasNextPage
    }
  }
}
`,
  },
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
    query: `# The log of all facts.
query Events {
  events(first: 10) {
    nodes {
      position
      type
      stream
      recordedAt
    }
  }
}
`,
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

/** How often the page's figures are read from the database, and how long a page waits for them, in milliseconds. */
export const SAMPLE = { freshFor: 900, patience: 800 };

/**
 * How long figures from the database are given out again, and how long a page waits for them, in milliseconds. The snapshot sees to it that
 * they are asked for once a second; what is older than half of one is not shown again.
 */
export const SAMPLE = { freshFor: 500, patience: 800 };

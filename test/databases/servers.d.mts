export const postgresUrl: string;
export const redisUrl: string;
export function databasePrefix(folder: string): string;
export function missingServers(): Promise<string[]>;
export const START_SERVERS: string;

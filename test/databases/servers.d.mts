export const postgresUrl: string;
export const redisUrl: string;
export function missingServers(): Promise<string[]>;

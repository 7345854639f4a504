export function processesOf(folder: string): number[];

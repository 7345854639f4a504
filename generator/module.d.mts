export interface FileChange {
  readonly path: string;
  readonly text: string;
  readonly before?: string;
}

export function moduleChanges(
  root: string,
  options: { name: string; singular?: string; state?: string; command?: string[]; internal?: string[]; field?: string[] },
): Promise<FileChange[]>;

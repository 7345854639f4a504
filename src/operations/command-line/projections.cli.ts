import { table, toned, withProgressBar, type Cell, type CommandRegistration } from '#libs/cli-kit';
import { ProjectionPruning, ProjectionRebuilder, ProjectionStatuses, type ProjectionStatus } from '#libs/projections';

const statusTable = table<ProjectionStatus>('There are no projections.', (status) => ({
  name: status.name,
  version: status.version,
  state: stateCell(status),
  position: status.position,
  generation: status.generation,
  rebuild: status.rebuild && `at position ${status.rebuild.position}`,
}));

function stateCell({ used, upToDate, lag }: ProjectionStatus): Cell {
  if (!used) return toned('quiet', "another build's");
  if (upToDate === true) return toned('good', 'up to date');
  return toned('bad', lag === null || lag === 0n ? 'not built' : `behind by ${lag} positions`);
}

/** Adds `projections status|rebuild|prune`. */
export const registerProjectionsCommands: CommandRegistration = (program, context) => {
  const projections = program.command('projections').description('look at and rebuild the tables that answer queries');
  projections
    .command('status')
    .description('print how far each projection is, in every version that a build has left')
    .action(async () => {
      const application = await context.application();
      context.print(await application.get(ProjectionStatuses, { strict: false }).all(), statusTable);
    });
  projections
    .command('rebuild <name>')
    .description('build a projection anew from the log, beside the live one, and switch; the service goes on serving')
    .action(async (name: string) => {
      const application = await context.application();
      await withProgressBar('rebuilding', (onProgress) =>
        application.get(ProjectionRebuilder, { strict: false }).rebuild(name, onProgress),
      );
      const statuses = await application.get(ProjectionStatuses, { strict: false }).all();
      context.print(statuses.find((status) => status.used && status.name === name));
    });
  projections
    .command('prune')
    .description('remove the tables of versions that this build does not use; one that is still running builds its own anew')
    .action(async () => {
      const application = await context.application();
      const pruned = await application.get(ProjectionPruning, { strict: false }).prune();
      context.print({ pruned });
      if (pruned.length === 0) context.note('Nothing was changed: there are no tables of other versions.');
    });
};

import { api } from '../../api.ts';
import { FieldDialog } from '../../form-dialog.tsx';
import type { FileRow } from './file-row.ts';

/** Dialog that renames a pin. */
export function RenameDialog({ row, onClose }: { row: Pick<FileRow, 'cid' | 'name'>; onClose: () => void }) {
  return (
    <FieldDialog
      title="Rename"
      action="Rename"
      done="Renamed."
      field={{ label: 'Name', description: 'Content and CID do not change.', maxLength: 255 }}
      initial={row.name}
      change={(name) => api(`files/${row.cid}`, { method: 'PATCH', body: { name } })}
      onClose={onClose}
    />
  );
}

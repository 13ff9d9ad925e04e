import { api } from '../../api.ts';
import { FieldDialog } from '../../form-dialog.tsx';

/** Asks for the reason of a view into an account, then opens its pages. */
export function ViewDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const begin = async (reason: string) => {
    await api(`operator/accounts/${id}/view`, { method: 'POST', body: { reason } });
    // Reloads, so that all pages show the other account.
    location.assign('/');
  };
  return (
    <FieldDialog
      title={`View the account ${name}`}
      action="View"
      done="The pages of the account open."
      field={{
        label: 'Reason',
        description: 'For 30 minutes you see what its members see, and change nothing. The audit log keeps the reason.',
        placeholder: 'Ticket 4711: uploads fail',
        maxLength: 200,
      }}
      change={begin}
      onClose={onClose}
    />
  );
}

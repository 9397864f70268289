import { useLayoutEffect, useState } from 'react';
import { navigate, useSearch } from 'wouter/use-browser-location';
import {
  type Filter,
  type PeopleQuery,
  parsePeopleQuery,
  printPeopleQuery,
  toQuery,
} from '../model/people-address.ts';

/** Safari refuses more than 100 changes of the history in 30 s. */
const WRITE_AFTER_MS = 400;

interface PeopleQueryState extends PeopleQuery {
  /** The text of the search field; `q` is the query in it. */
  readonly typed: string;
  /** Another number after the history or a link has brought another search. */
  readonly visit: number;
  /** Writes the query to the current entry of the history, after a pause. */
  readonly type: (text: string) => void;
  /** Adds an entry to the history. */
  readonly choose: (show: Filter) => void;
}

/** Filter and search of the list of people, which stand in the address of the list, or of the profile beside it. */
export function usePeopleQuery(): PeopleQueryState {
  // Wouter's own hook decodes the text once more than it was encoded.
  const { show, q: written } = parsePeopleQuery(useSearch());
  const [field, setField] = useState({ typed: written, written, visit: 0 });
  if (written !== field.written) {
    const isOwn = written === toQuery(field.typed);
    setField(isOwn ? { ...field, written } : { typed: written, written, visit: field.visit + 1 });
  }
  const { typed, visit } = field;
  const q = toQuery(typed);
  const [writer] = useState(() => new AddressWriter());
  useLayoutEffect(() => {
    void visit; // What was typed before belongs to another entry of the history.
    return () => writer.cancel();
  }, [writer, visit]);
  return {
    show,
    q,
    typed,
    visit,
    type: (text) => {
      setField((before) => ({ ...before, typed: text }));
      writer.replaceLater({ show, q: toQuery(text) });
    },
    choose: (chosen) => {
      writer.write();
      if (chosen !== show) navigate(addressOf({ show: chosen, q }));
    },
  };
}

/** Replaces the address of the current entry, not at every letter. */
class AddressWriter {
  #query: PeopleQuery | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  replaceLater(query: PeopleQuery): void {
    this.cancel();
    this.#query = query;
    this.#timer = setTimeout(this.write, WRITE_AFTER_MS);
    // A link leads away from this entry: before that, it gets its address.
    addEventListener('click', this.write, { capture: true });
  }

  readonly write = (): void => {
    const query = this.#query;
    this.cancel();
    if (!query) return;
    const address = addressOf(query);
    if (address !== location.pathname + location.search) navigate(address, { replace: true });
  };

  cancel(): void {
    this.#query = undefined;
    clearTimeout(this.#timer);
    removeEventListener('click', this.write, { capture: true });
  }
}

function addressOf(query: PeopleQuery): string {
  return location.pathname + printPeopleQuery(query);
}

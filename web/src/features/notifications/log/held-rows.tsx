import { Component, createRef, type ReactNode } from 'react';
import settings from '../../../ui/list/settings.module.css';
import styles from './log.module.css';

interface HeldRowsProps {
  children: ReactNode;
}

/** A row on the screen, and where it is there. */
interface Place {
  readonly scroller: Element;
  readonly row: Element;
  readonly top: number;
}

/**
 * Rows to which later ones are added at the top. While the first row is scrolled away, what is on the screen stays in its
 * place. Chromium and Firefox do that by themselves, Safari does not.
 */
export class HeldRows extends Component<HeldRowsProps> {
  readonly #element = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate(): Place | null {
    const scroller = this.#element.current?.closest(`.${settings.scroll}`);
    const [first, ...rows] = this.#element.current?.querySelectorAll(`.${styles.entry}`) ?? [];
    if (!scroller || !first) return null;
    const edge = scroller.getBoundingClientRect().top;
    if (first.getBoundingClientRect().top >= edge) return null;
    const row = [first, ...rows].find((one) => one.getBoundingClientRect().bottom > edge);
    return row ? { scroller, row, top: row.getBoundingClientRect().top } : null;
  }

  override componentDidUpdate(_before: HeldRowsProps, _state: unknown, place: Place | null): void {
    if (place?.row.isConnected) place.scroller.scrollTop += place.row.getBoundingClientRect().top - place.top;
  }

  override render(): ReactNode {
    return (
      <div ref={this.#element} className={styles.held}>
        {this.props.children}
      </div>
    );
  }
}

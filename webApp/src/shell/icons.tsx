/** Line icons of 24 units; decoration only, what they mean is said beside them. */
import type { ReactNode } from "react";

function icon(children: ReactNode) {
  return function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {children}
      </svg>
    );
  };
}

export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />);
export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const MoreIcon = icon(
  <>
    <circle cx="5.5" cy="12" r="1" fill="currentColor" />
    <circle cx="12" cy="12" r="1" fill="currentColor" />
    <circle cx="18.5" cy="12" r="1" fill="currentColor" />
  </>,
);
export const LockIcon = icon(
  <>
    <rect x="5.5" y="11" width="13" height="9" rx="2" />
    <path d="M8.5 11V8a3.5 3.5 0 0 1 7 0v3" />
  </>,
);
export const ArchiveIcon = icon(<path d="M4 5h16v4H4zM5.5 9v9a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2V9M10 13h4" />);
export const UploadIcon = icon(<path d="M12 16V5M7 9.5L12 4.5l5 5M5 19.5h14" />);
export const GaugeIcon = icon(<path d="M4 17a8 8 0 1 1 16 0M12 17l4-5" />);
export const ChatIcon = icon(<path d="M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-5 4v-4.1a2.5 2.5 0 0 1-2-2.4z" />);
export const MemoryIcon = icon(<path d="M12 20s-7-4.2-7-9.6A4.1 4.1 0 0 1 12 7.6a4.1 4.1 0 0 1 7 2.8C19 15.8 12 20 12 20z" />);
export const NotesIcon = icon(<path d="M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM14 3v5h5M9 13h6M9 17h4" />);
export const GraphIcon = icon(
  <>
    <circle cx="6" cy="7" r="2.5" />
    <circle cx="18" cy="6" r="2.5" />
    <circle cx="13" cy="18" r="2.5" />
    <path d="M8.4 6.8l7.1-.6M7.1 9.2l4.8 6.6M17.2 8.4l-3.4 7.2" />
  </>,
);
export const BookIcon = icon(<path d="M5 5a2 2 0 0 1 2-2h12v15H7a2 2 0 0 0-2 2zm0 15a2 2 0 0 0 2 2h12v-4" />);
export const ChartIcon = icon(<path d="M5 20V11M12 20V4M19 20v-6" />);
export const PersonIcon = icon(
  <>
    <circle cx="12" cy="8" r="3.5" />
    <path d="M5 20c.8-3.6 3.5-5.5 7-5.5s6.2 1.9 7 5.5" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z" />);
export const SendIcon = icon(<path d="M12 19V5M6 11l6-6 6 6" />);
export const StopIcon = icon(<rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor" />);
export const ImageIcon = icon(
  <>
    <rect x="4" y="5" width="16" height="14" rx="2.5" />
    <circle cx="9" cy="10" r="1.5" />
    <path d="M5 17l4.5-4 3 2.5L16 12l4 4" />
  </>,
);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15V6a2 2 0 0 1 2-2h8" />
  </>,
);
export const CheckIcon = icon(<path d="M5 12.5l4.5 4.5L19 7.5" />);
export const EditIcon = icon(<path d="M4 20l1-4L16.5 4.5a2.1 2.1 0 0 1 3 3L8 19z" />);
export const AgainIcon = icon(<path d="M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6" />);
export const DownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />);
export const ToolIcon = icon(<path d="M5 7l4.5 5L5 17M12 17h7" />);
export const TrashIcon = icon(<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M16 16l4.5 4.5" />
  </>,
);

"""Parts that pages share: the judging card, untrusted text, empty states, the common look."""

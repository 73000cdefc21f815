// Reprise

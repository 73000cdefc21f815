// RepriseLog

"""tf.train.ClusterSpec: the machines of a run, by their jobs."""


class ClusterSpec:
    """Addresses by job: ClusterSpec({"worker": ["host:2222"]})."""

    def __init__(self, cluster):
        found = cluster.as_dict() if isinstance(cluster, ClusterSpec) else dict(cluster)
        self._jobs = {
            job: dict(tasks) if isinstance(tasks, dict) else dict(enumerate(tasks)) for job, tasks in found.items()
        }

    @property
    def jobs(self):
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self):
        """Lists of addresses by job."""
        return {job: [tasks[i] for i in sorted(tasks)] for job, tasks in sorted(self._jobs.items())}

    def num_tasks(self, job_name):
        """How many machines have a job."""
        return len(self._of(job_name))

    def task_indices(self, job_name):
        """Their numbers."""
        return sorted(self._of(job_name))

    def task_address(self, job_name, task_index):
        """The address of one of them."""
        tasks = self._of(job_name)
        if task_index not in tasks:
            raise ValueError(f"[ClusterSpec] job '{job_name}' has no task {task_index}; there are {sorted(tasks)}")
        return tasks[task_index]

    def job_tasks(self, job_name):
        """The addresses of a job."""
        tasks = self._of(job_name)
        return [tasks[i] for i in sorted(tasks)]

    def _of(self, job_name):
        if job_name not in self._jobs:
            raise ValueError(f"[ClusterSpec] there is no job '{job_name}'; there are {self.jobs}")
        return self._jobs[job_name]

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self.as_dict() == other.as_dict()

    def __repr__(self):
        return f"ClusterSpec({self.as_dict()})"
